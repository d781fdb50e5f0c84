import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import { loadable } from '../parts/loadable.tsx';
import type { Feature } from '../workspace/features.ts';
import type { PaneProps } from '../workspace/tabs/tabs.ts';
import { CompareTabItems } from './compare-items.tsx';
import type { CompareOn } from './compare-on.tsx';

declare module '../workspace/windows.ts' {
  interface Windows {
    compare_on: CompareOn;
  }
}

const CompareOnServers = loadableDialog(async () => (await import('./compare-on.tsx')).CompareOnServers);

export const editorFeature: Feature = {
  views: {
    file: loadable<PaneProps>(async () => (await import('./file-view.tsx')).FileView),
    comparison: loadable<PaneProps>(async () => (await import('./comparison-view.tsx')).ComparisonView),
  },
  windows: { compare_on: { View: CompareOnServers } },
  TabItems: CompareTabItems,
};
