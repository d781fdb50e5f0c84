import { readFileSync } from 'node:fs';
import { build, type Plugin } from 'vite';
import { compileTemplate } from 'vue/compiler-sfc';

/** Scripts of pages made of the snippets in docs/embedding.md. They render into `#app`, and write the exit code to `#state`. */
export const FRAMEWORK_PAGES: Readonly<Record<'React' | 'Vue', () => Promise<string>>> = {
  React: () => bundle(`${snippetOf('jsx')}\n${REACT_START}`),
  Vue: () => bundle(`${vueRender(snippetOf('vue'))}\n${VUE_START}`),
};

const SHARED = `
const serverId = Number(document.querySelector('#app').dataset.server);
const onExit = ({ detail }) => { document.querySelector('#state').textContent = 'code ' + detail.code; };
`;

const REACT_START = `${SHARED}
import { createRoot } from 'react-dom/client';
createRoot(document.querySelector('#app')).render(<Shell serverId={serverId} onExit={onExit} />);
`;

const VUE_START = `${SHARED}
import { createApp } from 'vue';
const getTicket = async () => (await (await fetch('/ticket/terminal', { method: 'POST' })).json()).ticket;
createApp({ render, data: () => ({ serverId, getTicket, onExit }) }).mount('#app');
`;

function snippetOf(language: string): string {
  const guide = readFileSync('docs/embedding.md', 'utf8');
  const [, code] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide) ?? [];
  if (!code) throw new Error(`docs/embedding.md has no snippet of ${language}`);
  return code;
}

/** As the build of a Vue site compiles it, with the option that the guide names. */
function vueRender(component: string): string {
  const [, source = ''] = /<template>(.*)<\/template>/s.exec(component) ?? [];
  const isCustomElement = (tag: string) => tag.startsWith('sallyport-');
  const { code, errors } = compileTemplate({
    ...{ source, filename: 'shell.vue', id: 'shell' },
    compilerOptions: { isCustomElement },
  });
  if (errors.length > 0) throw new Error(String(errors[0]));
  return code;
}

const ENTRY = 'snippet.jsx';

async function bundle(code: string): Promise<string> {
  const entry: Plugin = {
    name: 'snippet',
    enforce: 'pre',
    resolveId: (id) => (id.endsWith(ENTRY) ? `${process.cwd()}/${ENTRY}` : undefined),
    load: (id) => (id.endsWith(ENTRY) ? code : undefined),
  };
  const output = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [entry],
    oxc: { jsx: { runtime: 'automatic', development: false } },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry: ENTRY, formats: ['es'], fileName: 'app' } },
  });
  const [chunk] = [output].flat().flatMap((one) => ('output' in one ? one.output : []));
  if (chunk?.type !== 'chunk') throw new Error('Nothing was built');
  return chunk.code;
}
