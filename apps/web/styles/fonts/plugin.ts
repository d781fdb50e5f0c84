import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/sallyport/fonts', import.meta.url));
const WEIGHTS = { min: 400, max: 700 };
const BASIC = ['kern', 'tnum'];
/** Without `calt`, Inter never draws 768x25519 with a multiplication sign; a terminal font draws ligatures with it. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  inter: BASIC,
  'jetbrains-mono': [...BASIC, 'mark', 'mkmk', 'ccmp', 'locl', 'calt'],
};
const LATIN =
  /font-weight: [\d ]+;(\s*src: url\()(\S+-latin-wght-normal\.woff2)(\)[^;]*;\s*unicode-range: )([^;]+);/;

/** Leaves out what the page never shows of the fonts that every visitor fetches: other weights, and letters by choice. */
export function lightFonts(): Plugin {
  return {
    name: 'light-fonts',
    apply: 'build',
    // Not `transform`, which style sheets that others import do not pass through.
    async config() {
      await mkdir(CACHE, { recursive: true });
      const alias = await Promise.all(Object.keys(FEATURES).map(lightFamily));
      return { resolve: { alias } };
    },
  };
}

async function lightFamily(family: string): Promise<{ find: string; replacement: string }> {
  const find = `@fontsource-variable/${family}/wght.css`;
  const original = fileURLToPath(import.meta.resolve(find));
  const css = await readFile(original, 'utf8');
  const [, , file, , range] = LATIN.exec(css) ?? [];
  if (file === undefined || range === undefined) throw new Error(`${find} has no Latin letters`);
  const font = await readFile(join(dirname(original), file));
  const light = await subsetFont(font, lettersOf(range), {
    targetFormat: 'woff2',
    keepFeatures: FEATURES[family] ?? BASIC,
    variationAxes: { wght: WEIGHTS },
  });
  await writeFile(join(CACHE, basename(file)), light);
  const replacement = join(CACHE, `${family}.css`);
  const lighter = css.replace(LATIN, `font-weight: ${WEIGHTS.min} ${WEIGHTS.max};$1./${basename(file)}$3$4;`);
  await writeFile(replacement, lighter.replaceAll('url(./files/', `url(${dirname(original)}/files/`));
  return { find, replacement };
}

/** The letters of a `unicode-range`, such as `U+0000-00FF,U+0131`. */
function lettersOf(range: string): string {
  return range
    .split(',')
    .map((part) => {
      const [first = 0, last = first] = part
        .replace('U+', '')
        .split('-')
        .map((hex) => Number.parseInt(hex, 16));
      return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join('');
    })
    .join('');
}
