"""Texts in unpacked packages: pairs of messages and of LibreOffice's help, and GNOME's help in one language."""
import gettext
import html.parser
import re
import xml.etree.ElementTree

from localisation.packages import fail, output_of

MARK = re.compile(r"[&_~](?=\w)")  # before the letter of an accelerator, as in &File


def clean_message(text):
    """Without the mark of an accelerator; white space becomes single spaces."""
    if len(MARK.findall(text)) == 1 and not re.search(r"\w_|://|%", text):
        text = MARK.sub("", text)
    return " ".join(text.split())


def is_about_translators(key, translation):
    """Messages that a translation replaces by names and addresses."""
    return "OF TRANSLATORS\x04" in str(key) or "translator" in str(key) and "credits" in str(key) or (
        "@" in translation and "@" not in str(key))


def messages(catalogue):
    with open(catalogue, "rb") as file:
        try:
            entries = gettext.GNUTranslations(file)._catalog
        except (OSError, UnicodeDecodeError, ValueError, LookupError):
            return
    for key, translation in entries.items():
        source, form = key if isinstance(key, tuple) else (key, 0)
        source = source.rsplit("\x04", 1)[-1]
        if source and form == 0 and not is_about_translators(key, translation):
            yield clean_message(source), clean_message(translation)


class Paragraphs(html.parser.HTMLParser):
    """The texts of the paragraphs of a page that have an id."""
    ENDS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "li"}

    def __init__(self, page):
        super().__init__()
        self.texts, self.id = {}, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        name = dict(attributes).get("id") or ""
        if tag in self.ENDS:
            self.id = name if re.match(r"(par|hd)_id", name) else None

    def handle_endtag(self, tag):
        if tag in self.ENDS:
            self.id = None

    def handle_data(self, data):
        if self.id:
            self.texts[self.id] = self.texts.get(self.id, "") + data


def help_pairs(folder, language):
    code = language.replace("_", "-")
    pages = "usr/share/libreoffice/help/{}/text"
    english = folder / "libreoffice-help-en-us" / pages.format("en-US")
    other = folder / f"libreoffice-help-{code.lower()}" / pages.format(code)
    for page in sorted(other.rglob("*.html")):
        counterpart = english / page.relative_to(other)
        if counterpart.exists():
            sources, targets = (Paragraphs(path.read_text("utf-8", "replace")).texts for path in (counterpart, page))
            for name in sources:
                if name in targets:
                    yield " ".join(sources[name].split()), " ".join(targets[name].split())


def in_sentences(pairs, program, language):
    """Pairs of paragraphs become pairs of sentences where both sides have as many."""
    sides = []
    for side, code in ((0, "en"), (1, language.split("_")[0])):
        text = "\n\n".join(pair[side] for pair in pairs) + "\n"
        divided = output_of(program, "data", "sentences", "--language", code, text=text)
        sides.append([paragraph.split("\n") for paragraph in divided.rstrip("\n").split("\n\n")])
    if len(sides[0]) != len(pairs) or len(sides[1]) != len(pairs):
        fail("the sentences do not fit the paragraphs")
    for pair, sources, targets in zip(pairs, *sides):
        yield from zip(sources, targets) if len(sources) == len(targets) else [pair]

# Parts of a page of GNOME's help that hold paragraphs, and those with names and licences.
PARAGRAPHS = {"p", "para", "simpara", "title", "subtitle", "desc"}
ABOUT_THE_PAGE = {"info", "bookinfo", "articleinfo", "legalnotice", "revhistory", "credit", "license"}


def paragraphs_below(element):
    tag = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""  # a comment has no name
    if tag in PARAGRAPHS:
        yield " ".join("".join(element.itertext()).split())
    elif tag and tag not in ABOUT_THE_PAGE:
        for child in element:
            yield from paragraphs_below(child)


def help_paragraphs(folder, language):
    """The different paragraphs of help in a language; C is English."""
    seen = {}
    for page in sorted(folder.glob(f"*/usr/share/help/{language}/**/*")):
        if page.suffix in (".page", ".docbook", ".xml") and page.is_file() and not page.is_symlink():
            data = re.sub(rb"<!DOCTYPE[^>\[]*(\[.*?\])?\s*>", b"", page.read_bytes(), flags=re.S)
            try:
                seen.update(dict.fromkeys(paragraphs_below(xml.etree.ElementTree.fromstring(data))))
            except xml.etree.ElementTree.ParseError:
                continue  # pages of an older format use entities that a file beside them declares
    seen.pop("", None)
    return list(seen)


def sentences_of(paragraphs, program, language):
    text = "\n\n".join(paragraphs) + "\n"
    divided = output_of(program, "data", "sentences", "--language", language.split("_")[0], text=text)
    return [line for line in divided.split("\n") if line]
