import type { Translate } from '../i18n/languages.ts';
import type { Server } from '../servers/servers.ts';
import type { TabPlace } from '../workspace/tabs/tabs.ts';
import type { Window } from '../workspace/windows.ts';

/** Asks for another server, and continues with the same file there. */
export function sameFileElsewhere(t: Translate, file: TabPlace, onOther: (other: TabPlace) => void): Window {
  return {
    kind: 'choose_server',
    title: t('compare_elsewhere'),
    isOffered: ({ id, sftp_enabled }: Server) => sftp_enabled && id !== file.server_id,
    onChoose: ({ id, name }: Server) => onOther({ server_id: id, server_name: name, path: file.path }),
  };
}
