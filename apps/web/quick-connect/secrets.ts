import type { QuickSecrets } from '#client/terminal/target.ts';

const kept = new Map<string, QuickSecrets>();

/** In memory alone, until the socket of this tab has sent them. */
export function keepSecrets(tab_id: string, secrets: QuickSecrets): void {
  kept.set(tab_id, secrets);
}

/** Once: a terminal that is opened again asks for them. */
export function takeSecrets(tab_id: string): QuickSecrets {
  const secrets = kept.get(tab_id) ?? {};
  kept.delete(tab_id);
  return secrets;
}
