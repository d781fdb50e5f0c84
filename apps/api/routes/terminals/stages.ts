import type { After } from '#core/lib/timers.ts';
import type { Stage } from '#core/model/connection-test.ts';
import type { GatewayFrame } from '../../contract/terminals/frames.ts';

const NOTICED_MS = 1000; // what is there sooner needs no word

/** How far a terminal is on its way, told once that takes longer than people notice. */
export interface Stages {
  at(stage: Stage, hop: string | undefined): void;
  /** It is there, or never will be. */
  stop(): void;
}

export function createStages(after: After, send: (frame: GatewayFrame) => void): Stages {
  let present: GatewayFrame | undefined;
  let is_told = false;
  let cancel: (() => void) | undefined;
  return {
    at(stage, hop) {
      present = { type: 'stage', stage, ...(hop === undefined ? {} : { hop }) };
      if (is_told) send(present);
      cancel ??= after(NOTICED_MS, () => {
        is_told = true;
        if (present) send(present);
      });
    },
    stop() {
      cancel?.();
      cancel = () => undefined;
      present = undefined;
      is_told = false;
    },
  };
}
