import type { After } from '#core/lib/time/timers.ts';
import type { Stage } from '#core/model/hosts/connection-test.ts';
import type { GatewayFrame } from '../../contract/terminals/frames.ts';

const SHOW_AFTER_MS = 1000; // a connection that opens sooner shows no stages

/** Reports the connection stages of a terminal, if opening takes longer than a second. */
export interface Stages {
  at(stage: Stage, hop: string | undefined): void;
  /** The terminal is open, or has failed. */
  stop(): void;
}

export function createStages(after: After, send: (frame: GatewayFrame) => void): Stages {
  let current: GatewayFrame | undefined;
  let is_shown = false;
  let cancel: (() => void) | undefined;
  return {
    at(stage, hop) {
      current = { type: 'stage', stage, ...(hop === undefined ? {} : { hop }) };
      if (is_shown) send(current);
      cancel ??= after(SHOW_AFTER_MS, () => {
        is_shown = true;
        if (current) send(current);
      });
    },
    stop() {
      cancel?.();
      cancel = () => undefined;
      current = undefined;
      is_shown = false;
    },
  };
}
