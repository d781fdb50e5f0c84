import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import { loadable } from '../parts/loadable.tsx';
import type { Feature } from '../workspace/features.ts';
import type { PaneProps, TabPlace } from '../workspace/tabs/tabs.ts';
import { ChangesTabItem } from './old-copies/tab-item.tsx';

declare module '../workspace/windows.ts' {
  interface Windows {
    file_changes: { readonly file: TabPlace };
  }
}

export const filesFeature: Feature = {
  views: { files: loadable<PaneProps>(async () => (await import('./browser.tsx')).FileBrowser) },
  windows: {
    file_changes: {
      View: loadableDialog(async () => (await import('./old-copies/dialog.tsx')).FileChangesDialog),
    },
  },
  TabItems: ChangesTabItem,
};
