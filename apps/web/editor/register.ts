import { loadable } from '../parts/loadable.tsx';
import type { Feature } from '../workspace/features.ts';
import type { PaneProps } from '../workspace/tabs/tabs.ts';
import { CompareTabItems } from './compare-items.tsx';

export const editorFeature: Feature = {
  views: {
    file: loadable<PaneProps>(async () => (await import('./file-view.tsx')).FileView),
    comparison: loadable<PaneProps>(async () => (await import('./comparison-view.tsx')).ComparisonView),
  },
  TabItems: CompareTabItems,
};
