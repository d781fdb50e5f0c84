import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { InlineConfig, Plugin } from 'vite';
import solid from 'vite-plugin-solid';
import { manualModules } from '../help/manual/plugin.ts';
import { rooted } from './internals/kobalte.ts';

const directory = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What is published as `sallyport.d.ts`: types alone, without imports. */
const TYPES = ['sallyport.d.ts', 'mount-options.ts'];

const PLACEHOLDER = '__SALLYPORT_EMBED_CSS__';

/** The style rules of the page, for the element that stands for it in a shadow root. */
const scoped = {
  postcssPlugin: 'scoped',
  Rule(rule: { selectors: string[] }) {
    rule.selectors = rule.selectors.map((one) =>
      one.replace(/:root/g, '.sallyport').replace(/^(html|body|#app)(?=$|[\s.:[>])/, '.sallyport'),
    );
  },
};

/** Puts all styles into the entry: a constructed style sheet needs no permission of the page that embeds it. */
function styled(): Plugin {
  return {
    name: 'styled',
    writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets');
      const styles = readdirSync(assets).filter((name) => name.endsWith('.css'));
      const css = styles.map((name) => readFileSync(join(assets, name), 'utf8')).join('\n');
      for (const name of styles) rmSync(join(assets, name));
      const entry = join(dir, 'sallyport.js');
      const code = readFileSync(entry, 'utf8');
      const quoted = new RegExp(`["'\`]${PLACEHOLDER}["'\`]`);
      if (!quoted.test(code)) throw new Error('The module has no place for its styles');
      writeFileSync(
        entry,
        code.replace(quoted, () => JSON.stringify(css)),
      );
      const types = TYPES.map((name) => readFileSync(directory(name), 'utf8')).join('\n');
      writeFileSync(join(dir, 'sallyport.d.ts'), types);
      const written = ['sallyport.js', ...readdirSync(assets).map((name) => `assets/${name}`)];
      for (const name of written.filter((file) => file.endsWith('.js')))
        writeFileSync(join(dir, `${name}.gz`), gzipSync(readFileSync(join(dir, name)), { level: 9 }));
    },
  };
}

/** Builds the module for other pages: one entry with a fixed name, its chunks beside it. */
export const embedConfig = (minify: boolean): InlineConfig => ({
  configFile: false,
  root: directory('.'),
  base: './',
  logLevel: 'warn',
  plugins: [rooted(), solid(), manualModules(), styled()],
  css: { postcss: { plugins: [scoped] } },
  build: {
    outDir: directory('../../../dist/web/embed'),
    emptyOutDir: true,
    target: 'es2022',
    minify,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false, // its links would go into the page around the element
    chunkSizeWarningLimit: 900,
    rollupOptions: {
      input: { sallyport: directory('sallyport.ts') },
      preserveEntrySignatures: 'strict',
      output: {
        entryFileNames: 'sallyport.js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
      checks: { pluginTimings: false },
    },
  },
});
