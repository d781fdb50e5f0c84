import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from './contents.ts';
import { ROOT } from './manual.ts';
import { type RenderOptions, renderPage } from './render.ts';
import type { About } from './rendered.ts';

const BUILD_DIGITS = 12;
const FOLDERS = ['apps', 'db'];
const FILES = ['package.json', 'package-lock.json'];

/** Version, license, and the parts of the changelog that belong to this version. */
export function readAbout(): About {
  const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return { version, license, build: buildOf(), changes: changesOf(version) };
}

/** What has changed in this version, and above it what is not released yet. */
function changesOf(version: string): About['changes'] {
  const page = PAGES.find(({ source }) => source === 'CHANGELOG.md');
  if (!page) throw new Error('The manual has no changelog');
  const parts = readFileSync(join(ROOT, page.source), 'utf8').split(/^## /m).slice(1);
  return parts.flatMap((part) => {
    const [title = '', ...lines] = part.split('\n');
    const text = lines.join('\n').trim();
    if (text === '' || !['Unreleased', version].includes(title)) return [];
    return { title, html: renderPage(page, text, NO_IMAGES).html };
  });
}

const NO_IMAGES: RenderOptions = {
  addImage(path) {
    throw new Error(`The changelog cannot show ${path}: the page shows it without images`);
  },
};

/** A digest of the sources: it names a build also where there is no Git, and needs no clock. */
function buildOf(): string {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|css|html|json|svg)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length)),
  );
  const paths = [...below, ...FILES, ...PAGES.map(({ source }) => source)].sort();
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, BUILD_DIGITS);
}
