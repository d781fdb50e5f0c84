import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import type { ManualPage } from './contents.ts';
import { type InnerLink, type LinkOptions, resolveLink } from './links.ts';
import type { Heading, Section } from './rendered.ts';
import { createIds, textOf } from './text.ts';

export interface RenderOptions extends LinkOptions {
  /** Publishes an image of the repository and returns its address. */
  addImage(path: string): string;
}

export interface RenderedPage extends ManualPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  readonly links: readonly InnerLink[];
}

const PICTURE =
  /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?<dark>[^"]+)">\s*<img alt="(?<alt>[^"]*)" src="(?<light>[^"]+)">\s*<\/picture>\s*$/;

/** The HTML of one page, without inline styles and scripts, which the gateway's policy refuses. */
export function renderPage(page: ManualPage, markdown: string, options: RenderOptions): RenderedPage {
  const headings: Heading[] = [];
  const links: InnerLink[] = [];
  const nextId = createIds();
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = nextId(text);
        headings.push({ depth, id, text: tokens.map(textOf).join('') });
        const inner = this.parser.parseInline(tokens);
        const linked = depth === 1 ? inner : `<a href="#${id}">${inner}</a>`;
        return `<h${depth} id="${id}" tabindex="-1">${linked}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const resolved = resolveLink(href, page.source, options);
        if (resolved.inner) links.push(resolved.inner);
        return resolved.href === undefined ? inner : `<a href="${escaped(resolved.href)}">${inner}</a>`;
      },
      table(token) {
        const [head = '', ...rows] = rowsOf(token, (tokens) => this.parser.parseInline(tokens));
        return `<div class="scrolls"><table><thead>${head}</thead><tbody>${rows.join('')}</tbody></table></div>\n`;
      },
      code: ({ text }) => `<pre class="scrolls"><code>${escaped(text)}</code></pre>\n`,
      html: ({ text }) => pictureOf(text, page, options),
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens);
  return { ...page, html, headings, links, sections: sectionsOf(page, tokens) };
}

function rowsOf({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string[] {
  const head = header.map(({ tokens }) => `<th scope="col">${inline(tokens)}</th>`).join('');
  const body = rows.map((cells) => cells.map(({ tokens }) => `<td>${inline(tokens)}</td>`).join(''));
  return [head, ...body].map((cells) => `<tr>${cells}</tr>`);
}

/** The theme that the reader chose decides, not that of the system. */
function pictureOf(html: string, page: ManualPage, { addImage }: RenderOptions): string {
  const { dark = '', light = '', alt = '' } = PICTURE.exec(html)?.groups ?? {};
  if (light === '') throw new Error(`${page.source} has HTML other than a picture: ${html}`);
  const image = (kind: string, path: string) => {
    const address = addImage(posix.join(posix.dirname(page.source), path));
    return `<img class="${kind}" loading="lazy" alt="${alt}" src="${address}">`;
  };
  return `<p>${image('in-light', light)}${image('in-dark', dark)}</p>\n`;
}

const CHANGELOG = 'changelog.html'; // its lists are so long that each entry is a section

/** The text below each heading. */
function sectionsOf(page: ManualPage, tokens: readonly Token[]): Section[] {
  const nextId = createIds();
  const sections: Section[] = [];
  let at = { path: page.file, page: page.title, heading: page.title };
  let text: string[] = [];
  function end(): void {
    const joined = text.join(' ').replace(/\s+/g, ' ').trim();
    if (joined !== '' || !sections.some(({ path }) => path === at.path))
      sections.push({ ...at, text: joined });
    text = [];
  }
  for (const token of tokens) {
    if (token.type === 'heading') {
      const id = nextId(token['text']);
      if (token['depth'] === 1) continue;
      end();
      at = { ...at, path: `${page.file}#${id}`, heading: textOf(token) };
    } else if (token.type === 'list' && page.file === CHANGELOG) {
      const entries: readonly Token[] = token['items'];
      sections.push(...entries.map((entry) => ({ ...at, text: textOf(entry).replace(/\s+/g, ' ') })));
    } else text.push(textOf(token));
  }
  end();
  return sections;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
