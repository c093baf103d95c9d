// A conversation with a language model that has a turn format: its turns, the answer while it is
// written, and the probability of each of its tokens.
'use strict';

// What each token adds to the text. A token that ends inside a character adds nothing; the one that
// ends it adds the character.
function tokenTexts(tokens) {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  return tokens.map(({bytes}) => decoder.decode(new Uint8Array(bytes), {stream: true}));
}

const shownToken = (text) => text.replaceAll('\n', '⏎').replaceAll(' ', '␣') || '∅';

// The alternatives of a token at temperature 1, most probable first; the token itself is added if
// it is not among them.
function alternativesOf(token) {
  const others = token.top_logprobs.map(({token: name, logprob}) => ({name, share: Math.exp(logprob), own: name === token.token}));
  if (!others.some(({own}) => own)) others.push({name: token.token, share: Math.exp(token.logprob), own: true});
  return others;
}

function alternativesTable(token) {
  return element('table', {}, ...alternativesOf(token).map(({name, share, own}) =>
    element('tr', {class: own ? 'own' : ''}, element('td', {class: 'mono'}, shownToken(name)),
      element('td', {class: 'number'}, `${(100 * share).toFixed(share < 0.001 ? 3 : 1)}%`))));
}

// The less probable a token, the darker its background.
function tokenMark(token, text, choose) {
  const mark = element('span', {class: 'said', tabindex: -1}, text);
  mark.style.setProperty('--surprise', Math.min(1, -token.logprob / Math.log(100)).toFixed(3));
  const show = () => {
    const {right, top, height} = mark.getBoundingClientRect();
    tooltip.show(alternativesTable(token), window.scrollX + right - 12, window.scrollY + top + height / 2);
  };
  mark.addEventListener('pointerenter', show);
  mark.addEventListener('pointerleave', () => tooltip.hide());
  mark.addEventListener('click', () => choose(mark, token));
  return mark;
}

function startChatting(models) {
  const chats = models.filter(({turns}) => turns);
  if (!chats.length) return;
  byId('chat').hidden = false;
  options('chat-model', chats.map(({name}) => ({value: name, text: name})));
  let turns = [];  // {role, content, tokens}
  let writing = null;
  const list = byId('turns');

  const choose = (mark, token) => {
    for (const other of list.querySelectorAll('.said.chosen')) other.classList.remove('chosen');
    mark.classList.add('chosen');
    byId('chosen-token').hidden = false;
    bars('token-alternatives', alternativesOf(token).map(({name, share}) => ({name: shownToken(name), share})));
  };
  const content = ({content: text, tokens}) => {
    if (!tokens || !tokens.length) return [text];
    const texts = tokenTexts(tokens);
    if (!text.startsWith(' ')) texts[0] = texts[0]?.replace(/^ /, '');  // tokenizers drop it
    if (!texts.join('').startsWith(text)) return tokens.flatMap((token, i) => [tokenMark(token, texts[i], choose), ' ']);  // words
    // The last tokens may spell the marker that ended the answer, which is no part of it.
    let rest = text.length;
    return tokens.map((token, i) => {
      const part = texts[i].slice(0, rest);
      rest -= part.length;
      return part && tokenMark(token, part, choose);
    });
  };
  const bubble = (turn) => element('div', {class: `turn ${turn.role}`}, element('h3', {}, turn.role === 'user' ? 'You' : byId('chat-model').value),
    element('p', {}, ...content(turn)));
  const show = () => {
    byId('chosen-token').hidden = true;
    list.replaceChildren(...turns.map(bubble));
    list.lastElementChild?.scrollIntoView({block: 'nearest'});
  };
  const busy = (on) => {
    byId('say').disabled = on;
    byId('hush').disabled = !on;
  };
  // At most half of the context, so that every conversation fits with its log-probabilities.
  const longest = () => Math.max(1, Math.floor(chats.find(({name}) => name === byId('chat-model').value).context / 2));
  const request = () => {
    const system = byId('system').value.trim();
    const number = (id) => Number(byId(id).value);
    return {
      model: byId('chat-model').value, stream: true, logprobs: byId('tint').checked, top_logprobs: byId('tint').checked ? 8 : undefined,
      messages: [...(system ? [{role: 'system', content: system}] : []), ...turns.map(({role, content: text}) => ({role, content: text}))],
      temperature: number('chat-temperature'), top_p: number('chat-top-p'), max_tokens: Math.min(longest(), number('chat-tokens')),
    };
  };

  async function say() {
    const text = byId('message').value.trim();
    if (!text || writing) return;
    const body = {...request()};
    body.messages.push({role: 'user', content: text});
    const mine = writing = new AbortController();
    const before = turns;
    const answer = {role: 'assistant', content: ''};
    turns = [...turns, {role: 'user', content: text}, answer];
    byId('message').value = '';
    busy(true);
    show();
    const written = list.lastElementChild.querySelector('p');
    try {
      await readEvents('v1/chat/completions', body, mine.signal, ({choices}) => {
        const [choice] = choices;
        answer.content += choice.delta.content || '';
        written.textContent = answer.content;
        if (choice.logprobs) answer.tokens = choice.logprobs.content;
        if (choice.finish_reason === 'length') answer.cut = true;
      });
      problem.hide();
    } catch (error) {
      if (!mine.signal.aborted) {
        problem.show(error.message);
        if (!answer.content && writing === mine) {  // nothing was answered: the text can be sent again
          turns = before;
          byId('message').value = text;
        }
      }
    }
    if (writing !== mine) return;  // the conversation was reset
    writing = null;
    busy(false);
    show();
  }

  const stop = () => writing && writing.abort();
  byId('say').addEventListener('click', say);
  byId('hush').addEventListener('click', stop);
  byId('message').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    say();
  });
  const reset = () => {
    stop();
    writing = null;
    turns = [];
    busy(false);
    show();
    byId('message').focus();
  };
  byId('fresh').addEventListener('click', reset);
  byId('chat-model').addEventListener('change', reset);
  byId('tint').addEventListener('change', () => list.classList.toggle('plain', !byId('tint').checked));
  for (const id of ['chat-temperature', 'chat-top-p', 'chat-tokens']) slider(id, () => {});
}

sections.push({list: 'language_models', start: startChatting});
