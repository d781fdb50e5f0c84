import { defineConfig } from 'vite';

const root = new URL('../..', import.meta.url).pathname;

/** Node loads them by themselves; they find each other, and the server finds them, in one folder as in the sources. */
const threads = {
  'writing-thread': 'apps/worker/recording/writing-thread.mjs',
  'reading-thread': 'apps/worker/recording/reading-thread.mjs',
  'screen-thread': 'apps/worker/screen/screen-thread.mjs',
};

/** The server as one file, and one for each thread; packages stay in node_modules. */
export default defineConfig({
  root,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist/server',
    emptyOutDir: true,
    target: 'node20',
    sourcemap: true,
    rollupOptions: {
      input: { main: 'apps/server/main.ts', ...threads },
      output: {
        entryFileNames: ({ name }) => (name in threads ? '[name].mjs' : '[name].js'),
        chunkFileNames: '[name].mjs',
      },
    },
  },
});
