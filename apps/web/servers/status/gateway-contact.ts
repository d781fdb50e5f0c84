import { type Accessor, createSignal } from 'solid-js';

const PATIENCE_MS = 5000; // a stream that was dropped alone is back sooner

export interface GatewayContact {
  /** No answer for so long that what is shown may be wrong. */
  readonly is_lost: Accessor<boolean>;
  /** An answer is due. */
  seek(): void;
  /** It has come. */
  made(): void;
  /** None is due: nobody asks any more. */
  rest(): void;
}

/** Whether the gateway answers, without a word about what heals by itself at once. */
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
