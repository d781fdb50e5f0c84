import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES as MANUAL_PAGES } from '../apps/web/help/manual/contents.ts';

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const FENCE = /^ *```.*?^ *```/gms;

const prose = (page: string) => readFileSync(page, 'utf8').replace(FENCE, '');

/** As GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text.toLowerCase());
  return headings.map((text) => text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

function linksOf(page: string): string[] {
  const text = prose(page);
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset)="([^"]+)"/g)];
  return links.flatMap(([, link]) => link ?? []).filter((link) => !/^https?:/.test(link));
}

function isDead(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

/** Paths from the root of the repository; the ones with a placeholder are for the reader to fill in. */
function pathsOf(page: string): string[] {
  const quoted = [...prose(page).matchAll(/`([^`\n]+)`/g)].flatMap(([, text]) => text ?? []);
  return quoted.filter((text) => /^(apps|db|tests|deploy|docs)\/[\w./-]+$/.test(text));
}

const EXAMPLES = 'apps/client/package/examples';

function codeOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```js\n(.*?)^```/gms)].flatMap(([, code]) => code ?? []);
}

describe('The documentation', () => {
  it.each(PAGES)('%s links to pages and headings that exist', (page) => {
    expect(linksOf(page).filter((link) => isDead(page, link))).toEqual([]);
  });

  it.each(PAGES)('%s names paths that exist', (page) => {
    expect(pathsOf(page).filter((path) => !existsSync(path))).toEqual([]);
  });

  it('shows the client only by examples that a test runs', () => {
    const examples = readdirSync(EXAMPLES).map((name) => readFileSync(join(EXAMPLES, name), 'utf8'));
    const shown = codeOf('docs/client.md');
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((code) => !examples.some((example) => example.includes(code)))).toEqual([]);
  });

  it('lists every page in its index', () => {
    const listed = linksOf('docs/README.md').map((link) => link.split('#')[0]);
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(pages.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('lists every page in the contents of the help', () => {
    const listed = MANUAL_PAGES.map(({ source }) => source);
    expect(PAGES.filter((page) => !listed.includes(page))).toEqual([]);
  });

  it('names a test for each promise of the security model', () => {
    const [, promises = ''] = /^## Promises$(.*?)^## /ms.exec(prose('docs/security-model.md')) ?? [];
    const rows = promises.split('\n').filter((line) => /^\| (?!Against|---)/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => !/\]\(\.\.\/tests\/\S+\.test\.ts\)/.test(row))).toEqual([]);
  });
});
