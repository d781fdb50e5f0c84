import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import { loadable } from '../parts/loadable.tsx';
import type { Feature } from '../workspace/features.ts';
import type { PaneProps, TabPlace } from '../workspace/tabs/tabs.ts';
import { HistoryTabItem } from './history/tab-item.tsx';

declare module '../workspace/windows.ts' {
  interface Windows {
    file_history: { readonly file: TabPlace };
  }
}

export const filesFeature: Feature = {
  views: { files: loadable<PaneProps>(async () => (await import('./browser.tsx')).FileBrowser) },
  windows: {
    file_history: {
      View: loadableDialog(async () => (await import('./history/dialog.tsx')).FileHistoryDialog),
    },
  },
  TabItems: HistoryTabItem,
};
