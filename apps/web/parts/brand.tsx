import { createSignal, Show } from 'solid-js';

interface Props {
  readonly name: string;
  /** URL of an image that replaces the default logo. */
  readonly logo?: string | undefined;
  readonly large?: boolean;
}

/** The gateway's name and logo. */
export function Brand(props: Props) {
  return (
    <span class="brand" classList={{ 'brand-large': props.large ?? false }}>
      <Show when={props.logo} keyed fallback={<Sign />}>
        {(logo) => <Logo address={logo} />}
      </Show>
      <span class="brand-name">{props.name}</span>
    </span>
  );
}

function Logo(props: { address: string }) {
  const [broken, setBroken] = createSignal(false);
  return (
    <Show when={!broken()} fallback={<Sign />}>
      <img class="brand-logo" src={props.address} alt="" onError={() => setBroken(true)} />
    </Show>
  );
}

function Sign() {
  return (
    <svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M8 26V15a8 8 0 0 1 16 0v11" />
      <path d="m13 16.5 3.2 3-3.2 3" />
    </svg>
  );
}
