import { createSignal } from 'solid-js';
import { useApp } from '../app/context.ts';
import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import type { PageHeadings } from './manual/rendered.ts';

declare module '../workspace/windows.ts' {
  interface Windows {
    about: unknown;
  }
}

const About = loadableDialog<Closable>(async () => (await import('./about.tsx')).AboutDialog);

export const helpFeature: Feature = {
  windows: { about: { View: About } },
  createCommands: createHelpCommands,
};

/** The pages of the manual and their headings, which the palette loads when it opens. */
function createHelpCommands(): FeatureCommands {
  const { client, t } = useApp();
  const { show } = useWorkspace();
  const [pages, setPages] = createSignal<readonly PageHeadings[]>([]);
  void loadHeadings().then(setPages, () => setPages([])); // the page says itself that a part of it is missing
  const open = (path: string) => void window.open(client.url(`/help/${path}`), '_blank', 'noopener');
  const entry = (name: string, hint: string, path: string) => ({
    title: t('help_about', { name }),
    hint,
    run: () => open(path),
  });
  return {
    page: () => [
      { title: t('help'), hint: t('action'), also: t('also_help'), run: () => open('') },
      {
        title: t('api_reference'),
        hint: t('help'),
        run: () => void window.open(client.url('/docs'), '_blank', 'noopener'),
      },
      { title: t('about'), hint: t('help'), also: t('also_about'), run: () => show({ kind: 'about' }) },
    ],
    help: () =>
      pages().flatMap(({ file, title, headings }) => [
        entry(title, t('help'), file),
        ...headings.map(({ id, text }) => entry(text, title, `${file}#${id}`)),
      ]),
  };
}

async function loadHeadings(): Promise<readonly PageHeadings[]> {
  return (await import('virtual:manual/headings')).pages;
}
