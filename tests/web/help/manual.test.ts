import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ManualPage, PAGES } from '../../../apps/web/help/manual/contents.ts';
import { hasHeading, renderManual } from '../../../apps/web/help/manual/manual.ts';
import { renderPage } from '../../../apps/web/help/manual/render.ts';
import { ACCOUNT_SECTIONS, ADMIN_SECTIONS } from '../../../apps/web/workspace/screens/sections.ts';

const options = { addImage: (path: string) => `../assets/${path}`, api_document: '../openapi.json' };
const pages = renderManual(options);
const [page] = PAGES;

const contentOf = ({ source }: ManualPage) => readFileSync(source, 'utf8');
const withText = (source: string, text: string) => (one: ManualPage) =>
  contentOf(one) + (one.source === source ? text : '');
const htmlOf = (markdown: string, source = 'docs/servers.md') =>
  renderPage({ title: 'A page', file: 'a-page.html', source }, markdown, options).html;

describe('The manual', () => {
  it.each(pages)('$file has a title, and no script, style or handler in its HTML', ({ html, headings }) => {
    expect(headings[0]).toMatchObject({ depth: 1 });
    expect(html).not.toMatch(/<script|<style|<[^>]* (style|on\w+)=/i);
  });

  it.each([...ADMIN_SECTIONS, ...ACCOUNT_SECTIONS])(
    'has the heading that the help of $id asks for',
    ({ help }) => {
      const [file = '', id = ''] = help.split('#');
      expect([help, hasHeading(pages, file, id)]).toEqual([help, true]);
    },
  );

  it('has each heading of a page once', () => {
    for (const { headings } of pages) {
      const ids = headings.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });

  it.each([
    ['a page', 'no-such-page.md'],
    ['a heading of another page', 'files.md#no-such-heading'],
    ['a heading of the page itself', '#no-such-heading'],
  ])('is not built with a link to %s that does not exist', (_, href) => {
    const build = () => renderManual(options, withText('docs/servers.md', `\n[dead](${href})\n`));
    expect(build).toThrow(`Dead links in the manual:\ndocs/servers.md: ${href}`);
  });

  it('is not built with HTML other than pictures', () => {
    expect(() => htmlOf('<iframe src="https://elsewhere.example"></iframe>')).toThrow(
      /HTML other than a picture/,
    );
  });
});

describe('A page of the manual', () => {
  it('links to other pages, their headings and the API document where the gateway has them', () => {
    expect(htmlOf('[files](files.md#upload)')).toContain('<a href="files.html#upload">files</a>');
    expect(htmlOf('[start](../README.md)')).toContain('<a href="overview.html">start</a>');
    expect(htmlOf('[document](openapi.json)')).toContain('<a href="../openapi.json">document</a>');
    expect(htmlOf('[site](https://example.com/)')).toContain('<a href="https://example.com/">site</a>');
  });

  it('shows links to sources as plain text while no repository is known', () => {
    expect(htmlOf('[a test](../tests/docs.test.ts)')).toBe('<p>a test</p>\n');
  });

  it('shows each picture in the theme of the page', () => {
    const html = htmlOf(
      '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="../tests/pictures/a-dark.png">\n' +
        '  <img alt="A list" src="../tests/pictures/a-light.png">\n</picture>',
    );
    expect(html).toContain(
      '<img class="in-light" loading="lazy" alt="A list" src="../assets/tests/pictures/a-light.png">',
    );
    expect(html).toContain(
      '<img class="in-dark" loading="lazy" alt="A list" src="../assets/tests/pictures/a-dark.png">',
    );
  });

  it('escapes code', () => {
    expect(htmlOf('```html\n<script>alert(1)</script>\n```')).not.toContain('<script>');
  });

  it('gives headings the ids that GitHub gives them', () => {
    const { headings } = renderPage(
      { title: 'A page', file: 'a-page.html', source: page?.source ?? '' },
      '## The page’s `Content-Security-Policy`\n\n## Twice\n\n## Twice\n',
      options,
    );
    expect(headings.map(({ id }) => id)).toEqual(['the-pages-content-security-policy', 'twice', 'twice-1']);
  });
});
