import { copyFormatted } from '../lib/clipboard.ts';
import { saveFile } from '../lib/save-file.ts';
import type { Pane } from './pane/pane.ts';

/** What a user can take out of a terminal. */
export interface Exports {
  /** Copies the selection with its colors. */
  copyHtml(): Promise<void>;
  /** Saves all output that is still there as a text file. */
  saveOutput(): Promise<void>;
}

export function createExports(pane: () => Pane | undefined, server_name: () => string): Exports {
  return {
    async copyHtml() {
      const present = pane();
      if (present) await copyFormatted(present.html(), present.selection());
    },
    async saveOutput() {
      const output = await pane()?.output();
      if (output !== undefined) saveFile(fileName(server_name()), new Blob([output], { type: 'text/plain' }));
    },
  };
}

function fileName(server_name: string): string {
  const name = server_name.replace(/[^\p{L}\p{N}._@-]+/gu, '-');
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000); // the user's time, in ISO's order
  return `${name}-${local.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')}.txt`;
}
