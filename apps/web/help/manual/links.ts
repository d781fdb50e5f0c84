import { posix } from 'node:path';
import { PAGES } from './contents.ts';

export interface LinkOptions {
  /** Where the document of the API is, relative to the pages; absent: not published with them. */
  readonly api_document?: string;
  /** Where the sources can be read; absent: links to them become plain text. */
  readonly source_url?: string | undefined;
}

/** A link from one page of the manual to another, or to a heading of its own. */
export interface InnerLink {
  readonly file: string;
  readonly id: string;
  readonly href: string;
}

export interface ResolvedLink {
  /** Absent: the link becomes plain text. */
  readonly href?: string;
  readonly inner?: InnerLink;
}

const isManual = (path: string) => /^(docs\/)?[^/]+\.md$/.test(path) || path === 'LICENSE';

/** Where a link of a page leads on the site. `source` is the file of the page that has it. */
export function resolveLink(href: string, source: string, options: LinkOptions): ResolvedLink {
  if (/^\w+:/.test(href)) return { href };
  const [path = '', id = ''] = href.split('#');
  const target = path === '' ? source : posix.join(posix.dirname(source), path);
  if (target === 'docs/openapi.json' && options.api_document) return { href: options.api_document };
  const page = PAGES.find((one) => one.source === target);
  if (page) {
    const fragment = id === '' ? '' : `#${id}`;
    const file = path === '' ? '' : page.file;
    return { href: `${file}${fragment}`, inner: { file: page.file, id, href } };
  }
  if (isManual(target)) return { inner: { file: target, id, href } }; // a dead link, reported with all others
  return options.source_url ? { href: `${options.source_url}/${target}` } : {};
}
