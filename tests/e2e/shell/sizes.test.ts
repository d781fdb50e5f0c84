import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const WEB = new URL('../../../dist/web', import.meta.url).pathname;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const chunks: Readonly<Record<string, Chunk>> = JSON.parse(
  readFileSync(join(WEB, '.vite/manifest.json'), 'utf8'),
);

/** The files of a chunk and of everything that it imports at once. */
function filesOf(name: string): string[] {
  const chunk = chunks[name];
  if (!chunk) throw new Error(`The build has no ${name}`);
  return [chunk.file, ...(chunk.css ?? []), ...(chunk.imports ?? []).flatMap(filesOf)];
}

function assetFile(start: string): string {
  const file = readdirSync(join(WEB, 'assets')).find((one) => one.startsWith(start));
  return join('assets', file ?? '');
}

const fontFile = (name: string) => assetFile(`${name}-latin-wght-normal-`);

/** As sent. */
function kbOf(files: ReadonlySet<string>): number {
  const sizes = [...files].map((file) => {
    const path = join(WEB, file);
    return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
  });
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

describe('What a browser fetches, fonts included,', () => {
  const sign_in = new Set([
    'index.html',
    assetFile('frame-'),
    ...filesOf('index.html'),
    ...filesOf('i18n/en.ts'),
    fontFile('inter'),
  ]);
  const terminal = [
    ...filesOf('workspace-page.tsx'),
    ...filesOf('terminal/tab.tsx'),
    fontFile('jetbrains-mono'),
  ];

  it('is at most 120 kB for the sign-in', () => {
    expect(kbOf(sign_in)).toBeLessThanOrEqual(120);
  });

  it('is at most 300 kB more for the first terminal', () => {
    expect(kbOf(new Set(terminal.filter((file) => !sign_in.has(file))))).toBeLessThanOrEqual(300);
  });
});
