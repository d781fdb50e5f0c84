import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

type Rule = NonNullable<MarkdownRenderer['renderer']['rules']['link_open']>;
type Tokens = Parameters<Rule>[0];

const ROOT = join(import.meta.dirname, '../..');

/** Where the repository can be read, from the field `repository` of package.json. */
function sourceUrl(): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const url: unknown = typeof repository === 'object' ? repository?.url : repository;
  return typeof url === 'string' ? `${url.replace(/^git\+|\.git$/g, '')}/blob/main` : undefined;
}

const isPage = (path: string) => /\.md$/.test(path) && /^(docs\/)?[^/]+$/.test(path);

/** The path in the repository that a page links to, unless it is a page of the site or another site. */
function sourceOf(href: string, page: string): string | undefined {
  if (/^(\w+:|#|\/)/.test(href)) return undefined;
  const [file = ''] = href.split('#');
  const path = posix.normalize(posix.join(posix.dirname(page), file));
  return isPage(path) ? undefined : path;
}

const PICTURE =
  /<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g;

/** A picture in two colors: the reader's choice on the site decides, not that of the system. */
function inBothColors(html: string): string {
  const image = (kind: string, alt: string, path: string) =>
    `<img class="${kind}" loading="lazy" alt="${alt}" src="${path.startsWith('.') ? path : `./${path}`}">`;
  return html.replace(
    PICTURE,
    (_, dark, alt, light) => image('in-dark', alt, dark) + image('in-light', alt, light),
  );
}

function unlink(tokens: Tokens, at: number): void {
  const end = tokens.findIndex((token, index) => index > at && token.type === 'link_close');
  for (const index of [at, end]) {
    const token = tokens[index];
    if (token) Object.assign(token, { type: 'text', tag: '', content: '', attrs: null });
  }
}

function rewriteLink(tokens: Tokens, at: number, page: string, url: string | undefined): void {
  const link = tokens[at];
  const href = String(link?.attrGet('href'));
  const path = sourceOf(href, page);
  if (path === undefined)
    link?.attrSet('href', href.replace(/(^|\/)README\.md/, '$1index.md')); // see `rewrites`
  else if (url) link?.attrSet('href', `${url}/${path}`);
  else unlink(tokens, at);
}

/** Source files are not part of the site: links to them go to the repository, or become plain text. */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  const url = sourceUrl();
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const token of tokens.filter(({ type }) => type === 'html_block')) {
      token.content = inBothColors(token.content);
    }
    for (const inside of tokens.flatMap(({ children }) => (children ? [children] : []))) {
      const links = inside.flatMap(({ type }, index) => (type === 'link_open' ? index : []));
      for (const at of links) rewriteLink(inside, at, env.relativePath, url);
    }
  });
}
