import type { FieldError } from '#client/transport/client-error.ts';
import type { Translate } from '../../i18n/languages.ts';
import type { ServerDraft } from './draft.ts';

const HIGHEST_PORT = 65_535;

/** What keeps a draft from being sent, in the user's language. The gateway checks everything else. */
export function complaintsOf(draft: ServerDraft, t: Translate): FieldError[] {
  const found: FieldError[] = [];
  if (draft.hostname.trim() === '') found.push({ path: 'hostname', message: t('hostname_missing') });
  if (!isPort(draft.port)) found.push({ path: 'port', message: t('port_invalid') });
  if (draft.username.trim() === '') found.push({ path: 'username', message: t('ssh_username_missing') });
  return found;
}

function isPort(text: string): boolean {
  const port = Number(text);
  return /^\s*\d+\s*$/.test(text) && port >= 1 && port <= HIGHEST_PORT;
}
