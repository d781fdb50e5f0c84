import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';
import { manualModules, manualPages, sourceUrl } from './manual/plugin.ts';

const directory = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `npm run docs`: the pages of `/help` as a site of their own, for any static host. */
export default defineConfig({
  root: directory('.'),
  base: './',
  logLevel: 'warn',
  plugins: [
    solid(),
    manualModules(),
    manualPages({ template: 'index.html', assets: './assets', outside: {}, source_url: sourceUrl() }),
  ],
  build: {
    outDir: directory('../../../dist/docs'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }, // it would be an inline script
    rollupOptions: { checks: { pluginTimings: false } },
  },
});
