import { flowFor } from '../../lib/bytes/watermark.ts';
import type { Shell } from '../../ports/ssh.ts';
import { MAX_UNPARSED_BYTES, type OutputFlow } from './output-flow.ts';

// At most 1 MiB is ever unparsed; the packet that is being read still fits.
const UNPARSED_MARKS = { high_bytes: MAX_UNPARSED_BYTES - 64 * 1024, low_bytes: 512 * 1024 };
const UNSENT_MARKS = { high_bytes: 192 * 1024, low_bytes: 64 * 1024 };

export interface ShellThrottle {
  /** The recording cannot keep up. */
  setCongested(is_congested: boolean): void;
  /** Pauses or resumes the shell according to the owner's output; without one the shell runs on. */
  update(owner: OutputFlow | undefined): void;
}

/** Only the owner's terminal and the recording slow the shell down, never a guest. */
export function createShellThrottle(shell: Pick<Shell, 'pause' | 'resume'>): ShellThrottle {
  let is_congested = false;
  let is_paused = false;

  function pause(): void {
    is_paused = true;
    shell.pause();
  }

  function resume(): void {
    is_paused = false;
    shell.resume();
  }

  return {
    setCongested(now) {
      is_congested = now;
    },
    update(owner) {
      const flows = [
        flowFor(owner?.unparsed() ?? 0, is_paused, UNPARSED_MARKS),
        flowFor(owner?.unsent() ?? 0, is_paused, UNSENT_MARKS),
      ];
      const wants_pause = is_congested || flows.includes('pause');
      if (wants_pause && !is_paused) pause();
      else if (is_paused && !wants_pause && flows.every((flow) => flow === 'resume')) resume();
    },
  };
}
