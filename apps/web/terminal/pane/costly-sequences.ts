import type { Terminal } from '@xterm/xterm';

const TURN_MS = 8;

/** Sequences whose work grows with the size of the screen: a packet holds thousands of them. */
const COSTLY = {
  csi: [
    ...['J', 'K', 'L', 'M', 'P', 'S', 'T', 'X', '@', 'I', 'Z', 'b', 'h', 'l'].map((final) => ({ final })),
    ...['J', 'K', 'h', 'l'].map((final) => ({ prefix: '?', final })),
    ...['@', 'A'].map((final) => ({ intermediates: ' ', final })),
    ...['}', '~'].map((final) => ({ intermediates: "'", final })),
    { intermediates: '!', final: 'p' },
  ],
  esc: [...['c', 'D', 'E', 'M'].map((final) => ({ final })), { intermediates: '#', final: '8' }],
  osc: [0, 1, 2, 4, 8, 10, 11, 12, 52, 104, 110, 111, 112],
};

/** Lets the page handle keys and clicks between costly sequences. None is dropped, and the order stays. */
export function giveWay({ parser }: Pick<Terminal, 'parser'>): void {
  const next = createTurns();
  for (const id of COSTLY.csi) parser.registerCsiHandler(id, next);
  for (const id of COSTLY.esc) parser.registerEscHandler(id, next);
  for (const id of COSTLY.osc) parser.registerOscHandler(id, next);
}

/** False at once within a turn; after it, false once the page had its turn. */
function createTurns(): () => boolean | Promise<boolean> {
  let began_ms: number | undefined;
  return () => {
    const now_ms = performance.now();
    if (began_ms === undefined) {
      began_ms = now_ms;
      setTimeout(() => {
        began_ms = undefined;
      });
    }
    if (now_ms - began_ms < TURN_MS) return false;
    return new Promise((resolve) => setTimeout(() => resolve(false)));
  };
}
