// Shared by the report, the explain page and the page of calque serve: makes elements from data
// (never from markup), sets the theme, and shows tooltips.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const byId = (id) => document.getElementById(id);

// element('td', {class: 'number'}, 'text', otherElement): strings become text, never markup.
function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svgElement(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function embeddedData() {
  return JSON.parse(byId('data').textContent);
}

// The theme follows the system until the user chooses one; printing always uses the light theme.
const theme = {
  choice: 'system',
  shown: () => {},  // called whenever the colours may have changed
  system: window.matchMedia('(prefers-color-scheme: dark)'),

  apply(name) {
    document.documentElement.dataset.theme = name;
    this.shown();
  },

  show() {
    const dark = this.choice === 'dark' || (this.choice === 'system' && this.system.matches);
    this.apply(dark ? 'dark' : 'light');
    const names = {system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark'};
    byId('theme').textContent = names[this.choice];
  },

  start(choice, changed) {
    this.choice = ['light', 'dark'].includes(choice) ? choice : 'system';
    byId('theme').addEventListener('click', () => {
      const order = ['system', 'light', 'dark'];
      this.choice = order[(order.indexOf(this.choice) + 1) % order.length];
      this.show();
      changed();
    });
    this.system.addEventListener('change', () => this.show());
    window.addEventListener('beforeprint', () => this.apply('light'));
    window.addEventListener('afterprint', () => this.show());
    this.show();
  },
};

const tooltip = {
  // Shows `content` beside a point (in page coordinates), on the side that has room.
  show(content, pageX, pageY) {
    const box = byId('tooltip');
    box.replaceChildren(content);
    box.hidden = false;
    const right = window.scrollX + document.documentElement.clientWidth;
    const beside = pageX + 16 + box.offsetWidth > right ? pageX - 16 - box.offsetWidth : pageX + 16;
    box.style.left = `${Math.max(window.scrollX + 4, beside)}px`;
    box.style.top = `${Math.max(window.scrollY + 4, pageY - box.offsetHeight / 2)}px`;
  },
  hide() { byId('tooltip').hidden = true; },
};
