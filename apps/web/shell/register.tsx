import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import type { Feature } from '../workspace/features.ts';
import type { Closable } from '../workspace/windows.ts';
import { createPageCommands } from './palette/page-commands.ts';
import { Palette } from './palette/palette.tsx';
import { SignOutQuestion } from './sign-out.tsx';
import { RenameTab } from './tabs/rename.tsx';

declare module '../workspace/windows.ts' {
  interface Windows {
    keyboard: unknown;
    palette: unknown;
    rename_tab: { readonly tab_id: string };
    sign_out: unknown;
  }
}

const Keyboard = loadableDialog<Closable>(async () => (await import('./keyboard/keyboard.tsx')).Keyboard);

export const shellFeature: Feature = {
  windows: {
    keyboard: { View: Keyboard },
    palette: { View: Palette },
    rename_tab: { View: RenameTab },
    sign_out: { View: SignOutQuestion },
  },
  createCommands: createPageCommands,
};
