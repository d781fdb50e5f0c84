import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Plugin } from 'vite';
import { readAbout } from './about.ts';
import { PAGES } from './contents.ts';
import { type Layout, pageDocument } from './layout.ts';
import type { LinkOptions } from './links.ts';
import { ROOT, renderManual } from './manual.ts';
import type { PageHeadings, Section } from './rendered.ts';

const PREFIX = 'virtual:manual/';

/** The modules with what the page knows of the manual: see `modules.d.ts`. */
export function manualModules(): Plugin {
  const pages = () => renderManual({ addImage: (path) => path });
  const exported: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
    headings: () => ({
      pages: pages().map(
        ({ file, title, headings }): PageHeadings => ({
          file,
          title,
          headings: headings.filter(({ depth }) => depth > 1),
        }),
      ),
    }),
    sections: () => ({ sections: pages().flatMap(({ sections }): readonly Section[] => sections) }),
    about: () => ({ about: readAbout() }),
  };
  return {
    name: 'manual-modules',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      for (const { source } of PAGES) this.addWatchFile(join(ROOT, source));
      const values = exported[id.slice(PREFIX.length + 1)]?.() ?? {};
      const lines = Object.entries(values).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      );
      return { code: lines.join('\n'), moduleSideEffects: false };
    },
  };
}

export interface PagesOptions extends LinkOptions {
  /** The built template, which becomes the first page; the others are written beside it. */
  readonly template: string;
  /** The folder with hashed names, seen from the pages. */
  readonly assets: string;
  readonly outside: Layout['outside'];
}

/** Writes the pages of the manual beside their template, and fails on a dead link. */
export function manualPages({ template: template_file, assets, outside, ...links }: PagesOptions): Plugin {
  return {
    name: 'manual-pages',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const built = bundle[template_file];
        if (built?.type !== 'asset') throw new Error(`The build has no ${template_file}`);
        // Without `blocking`, the page would first be painted in the theme of the system.
        const template = String(built.source).replace('<script type="module"', '$& blocking="render"');
        const addImage = (path: string) => {
          const source = readFileSync(join(ROOT, path));
          const name = hashedName(path, source);
          this.emitFile({ type: 'asset', fileName: `assets/${name}`, source });
          return `${assets}/${name}`;
        };
        const layout: Layout = { template, version: readAbout().version, outside };
        delete bundle[template_file];
        for (const page of renderManual({ ...links, addImage })) {
          const fileName = join(template_file, '..', page.file);
          this.emitFile({ type: 'asset', fileName, source: pageDocument(page, layout) });
        }
      },
    },
  };
}

const HASH_LETTERS = 8; // as in the other names in `assets`

function hashedName(path: string, source: Uint8Array): string {
  const kind = extname(path);
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, HASH_LETTERS);
  return `${basename(path, kind)}-${hash}${kind}`;
}

/** Where the repository can be read, from the field `repository` of package.json. */
export function sourceUrl(): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const url: unknown = typeof repository === 'object' ? repository?.url : repository;
  return typeof url === 'string' ? `${url.replace(/^git\+|\.git$/g, '')}/blob/main` : undefined;
}
