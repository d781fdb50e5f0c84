/** Who calls the gateway, and what to do when it wants to know again. */
export interface Credentials {
  /** The session token or API key to send with the next request; undefined sends none. */
  readonly token: () => string | undefined;
  /** Called with a token that the gateway refused. It may have been replaced since. */
  readonly refused?: (token: string) => void;
  /** Called with a token that the gateway refused, once for each. If it resolves to another, the request is sent again with that. */
  readonly refresh?: (refused: string) => Promise<string | undefined>;
  /** Called when the session must be confirmed (`step_up_required`). If it resolves to true, the request is sent again. */
  readonly confirm?: (sent_at_ms: number) => Promise<boolean>;
}

export function toCredentials(given: string | Credentials | undefined): Credentials {
  return typeof given === 'object' ? given : { token: () => given };
}

/** Requests that fail at the same time ask for one new token. */
export function createRefresh({ refresh }: Credentials): (refused: string) => Promise<string | undefined> {
  let latest: { readonly refused: string; readonly fresh: Promise<string | undefined> } | undefined;

  async function ask(refused: string): Promise<string | undefined> {
    let fresh: string | undefined;
    await undefined; // `latest` is set before a refresh that throws at once
    try {
      fresh = await refresh?.(refused);
      return fresh;
    } finally {
      if (fresh === undefined && latest?.refused === refused) latest = undefined; // the next request asks again
    }
  }

  return (refused) => {
    if (latest?.refused !== refused) latest = { refused, fresh: ask(refused) };
    return latest.fresh;
  };
}
