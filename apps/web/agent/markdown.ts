import { Marked, type RendererObject, type TokenizerObject } from 'marked';
import { visibleText } from '../lib/visible-text.ts';

// Beyond these the parser is slow or runs out of stack, so the text is shown as it is.
const MOST_CHARACTERS = 100_000;
const MOST_FORMATTED = 4000; // characters of a paragraph
const DEEPLY_NESTED = /^(?:[ \t]*(?:>|[-*+]|\d+[.)])){20}/m;

/**
 * The HTML of a model's Markdown, one string for each block, so that a growing answer redraws its last block alone.
 * The page also sanitizes each of them (`sanitize.ts`).
 */
export function blocksOf(markdown: string): string[] {
  const text = visibleText(markdown);
  if (text.length > MOST_CHARACTERS || DEEPLY_NESTED.test(text))
    return [`<pre><code>${escaped(text)}</code></pre>`];
  const marked = new Marked({ gfm: true, async: false, renderer, tokenizer });
  return marked
    .lexer(text)
    .filter(({ type }) => type !== 'space' && type !== 'def')
    .map((token) => marked.parser([token]));
}

/** HTML is text. `false` leaves the work to the library. */
const tokenizer: TokenizerObject = {
  emStrong: (_rest, paragraph) => (paragraph.length > MOST_FORMATTED ? undefined : false),
  del: (_rest, paragraph) => (paragraph.length > MOST_FORMATTED ? undefined : false),
  inlineText: (rest) =>
    rest.length > MOST_FORMATTED ? { type: 'text', raw: rest, text: rest, escaped: false } : false,
  html: () => undefined,
  tag: () => undefined,
};

const renderer: RendererObject = {
  code: ({ text }) => `<pre><code>${escaped(text)}</code></pre>`,
  html: ({ text }) => escaped(text),
  checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  heading({ tokens, depth }) {
    const level = Math.min(depth + 3, 6);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
  },
  /** An image would be fetched: only its description is shown. */
  image: ({ text }) => escaped(text),
  link({ href, tokens, text }) {
    const inner = this.parser.parseInline(tokens);
    const url = webUrl(href);
    if (!url) return inner;
    const host = isShown(url, text) ? '' : ` <bdi>(${escaped(url.host)})</bdi>`;
    return `<a href="${escaped(url.href)}">${inner}${host}</a>`;
  },
  tablecell({ tokens, header }) {
    const tag = header ? 'th' : 'td';
    return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
  },
};

/** Absolute, because a relative one would lead into the gateway. */
export function webUrl(href: string): URL | undefined {
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return undefined;
  return new URL(href);
}

/** Whether the text of a link is its address. */
function isShown(url: URL, text: string): boolean {
  return url.username === '' && url.password === '' && (url.href === text || url.href === `${text}/`);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
