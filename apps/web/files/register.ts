import { loadable } from '../parts/loadable.tsx';
import type { Feature } from '../workspace/features.ts';
import type { PaneProps } from '../workspace/tabs/tabs.ts';

export const filesFeature: Feature = {
  views: { files: loadable<PaneProps>(async () => (await import('./browser.tsx')).FileBrowser) },
};
