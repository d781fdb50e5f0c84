import { CONTENTS, PAGES } from './contents.ts';
import { escaped, type RenderedPage } from './render.ts';

export interface Layout {
  /** The built `index.html` of the help, with its links to scripts and styles. */
  readonly template: string;
  readonly version: string;
  /** Links out of the manual, by their text. */
  readonly outside: Readonly<Record<string, string>>;
}

/** The whole document of a page. */
export function pageDocument(page: RenderedPage, { template, version, outside }: Layout): string {
  const parts: Readonly<Record<string, string>> = {
    TITLE: escaped(page.file === 'index.html' ? 'Sallyport help' : `${page.title} · Sallyport help`),
    VERSION: escaped(version),
    CONTENTS: contentsOf(page, outside),
    ARTICLE: page.html,
    OUTLINE: outlineOf(page),
    AROUND: aroundOf(page),
  };
  return template.replace(/%([A-Z]+)%/g, (all, name: string) => parts[name] ?? all);
}

function contentsOf(page: RenderedPage, outside: Layout['outside']): string {
  const parts = CONTENTS.map(({ title, pages }) => {
    const links = pages.map(({ title: text, file }) => {
      const current = file === page.file ? ' aria-current="page"' : '';
      return `<li><a href="${file}"${current}>${escaped(text)}</a></li>`;
    });
    return `<h2>${escaped(title)}</h2><ul>${links.join('')}</ul>`;
  });
  const others = Object.entries(outside).map(
    ([text, href]) => `<li><a href="${href}">${escaped(text)}</a></li>`,
  );
  return parts.join('') + (others.length > 0 ? `<h2>This gateway</h2><ul>${others.join('')}</ul>` : '');
}

function outlineOf({ headings }: RenderedPage): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const links = shown.map(
    ({ id, text, depth }) => `<li class="help-level-${depth}"><a href="#${id}">${escaped(text)}</a></li>`,
  );
  return `<nav aria-labelledby="outline"><h2 id="outline">On this page</h2><ul>${links.join('')}</ul></nav>`;
}

function aroundOf(page: RenderedPage): string {
  const at = PAGES.findIndex(({ file }) => file === page.file);
  const link = (label: string, to: number) => {
    const other = PAGES[to];
    return other
      ? `<a href="${other.file}"><small>${label}</small> ${escaped(other.title)}</a>`
      : '<span></span>';
  };
  return link('Previous page', at - 1) + link('Next page', at + 1);
}
