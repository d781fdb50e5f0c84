import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';
import { embedConfig } from './embed/vite.config.ts';
import { staticFrame } from './frame/plugin.ts';
import { manualModules, manualPages, sourceUrl } from './help/manual/plugin.ts';
import { lightFonts } from './styles/fonts/plugin.ts';

const directory = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Writes a `.gz` next to each asset, which the server sends if it exists. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    // In `writeBundle`: other plugins still change chunks while the bundle is generated.
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((file) =>
        /\.(js|css|svg)$|^(index|help\/.*)\.html$/.test(file),
      )) {
        const path = join(dir ?? '', name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

/** Builds the module for other pages next to the pages, once those are written. */
function embedded(): Plugin {
  return {
    name: 'embedded',
    apply: 'build',
    closeBundle: async () => void (await build(embedConfig(true))),
  };
}

/** Helpers and icons that several parts of the page share, in one file: each alone would be a request of less than 1 kB. */
const BASE = {
  name: 'base',
  test: /[\\/]web[\\/]lib[\\/][^\\/]+$|lucide-solid/,
  minShareCount: 3,
  maxModuleSize: 3000,
};

const manual = () =>
  manualPages({
    template: 'help/index.html',
    assets: '../assets',
    api_document: '../openapi.json',
    source_url: sourceUrl(),
    outside: { 'Open the gateway': '../', 'API reference': '../docs' },
  });

/** Builds the pages; all links are relative, so that any path prefix works. */
export default defineConfig({
  root: directory('.'),
  base: './',
  logLevel: 'warn',
  plugins: [solid(), lightFonts(), staticFrame(), manualModules(), manual(), compressed(), embedded()],
  build: {
    outDir: directory('../../dist/web'),
    emptyOutDir: true,
    manifest: true, // for the test of what a browser fetches
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }, // it would be an inline script
    chunkSizeWarningLimit: 600, // kB: the terminal, loaded with the first tab
    rollupOptions: {
      input: {
        index: directory('index.html'),
        docs: directory('docs.html'),
        help: directory('help/index.html'),
        player: directory('player/player.tsx'),
      },
      // The replay page is not built and refers to the player by a fixed name.
      output: {
        entryFileNames: ({ name }) => (name === 'player' ? 'player/player.js' : 'assets/[name]-[hash].js'),
        assetFileNames: ({ names }) =>
          names.includes('player.css') ? 'player/player.css' : 'assets/[name]-[hash][extname]',
        codeSplitting: { groups: [BASE] },
      },
      checks: { pluginTimings: false },
    },
  },
});
