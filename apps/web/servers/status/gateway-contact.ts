import { type Accessor, createSignal } from 'solid-js';

const PATIENCE_MS = 5000; // a dropped event stream reconnects sooner than this

export interface GatewayContact {
  /** The gateway has not answered for so long that the page may be outdated. */
  readonly is_lost: Accessor<boolean>;
  /** Starts waiting for an answer. */
  seek(): void;
  /** An answer has arrived. */
  made(): void;
  /** Stops waiting. */
  rest(): void;
}

/** Tracks whether the gateway answers, ignoring short interruptions. */
export function createGatewayContact(): GatewayContact {
  const [is_lost, setLost] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    is_lost,
    seek() {
      timer ??= setTimeout(() => setLost(true), PATIENCE_MS);
    },
    made() {
      rest();
      setLost(false);
    },
    rest,
  };
}
