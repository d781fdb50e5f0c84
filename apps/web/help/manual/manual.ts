import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ManualPage, PAGES } from './contents.ts';
import { type RenderedPage, type RenderOptions, renderPage } from './render.ts';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** Every page of the manual. Throws if a link leads to a page or a heading that does not exist. */
export function renderManual(options: RenderOptions, read = sourceOf): RenderedPage[] {
  const pages = PAGES.map((page) => renderPage(page, read(page), options));
  const dead = pages.flatMap((page) =>
    page.links
      .filter(({ file, id }) => !hasHeading(pages, file, id))
      .map(({ href }) => `${page.source}: ${href}`),
  );
  if (dead.length > 0) throw new Error(`Dead links in the manual:\n${dead.join('\n')}`);
  return pages;
}

export function hasHeading(pages: readonly RenderedPage[], file: string, id: string): boolean {
  const page = pages.find((one) => one.file === file);
  return page !== undefined && (id === '' || page.headings.some((heading) => heading.id === id));
}

function sourceOf({ title, source }: ManualPage): string {
  const text = readFileSync(join(ROOT, source), 'utf8');
  return source.endsWith('.md') ? text : `# ${title}\n\n${text}`;
}
