import { useApp } from '../app/context.ts';
import { SearchDialog } from '../parts/dialogs/search.tsx';
import { Name } from '../parts/name.tsx';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { findServers } from './find/find.ts';
import { parseQuery } from './find/query.ts';
import { useKnownServers } from './known-servers.ts';
import { addressOf, type Server } from './servers.ts';
import { StatusDot } from './status/dot.tsx';
import { useStatusWatch } from './status/status.ts';

const MOST_FOUND = 50;

export interface ServerWanted {
  readonly title: string;
  readonly isOffered: (server: Server) => boolean;
  /** Opens something that takes the focus. */
  readonly onChoose: (server: Server) => void;
}

/** A choice of one server, found as in the rail. */
export function ChooseServer(props: ServerWanted & Closable) {
  const { t } = useApp();
  const { wishFocus } = useWorkspace();
  const { index, surroundingsOf } = useKnownServers();
  const { statusOf } = useStatusWatch();
  function find(text: string): readonly Server[] {
    const known = index();
    const query = parseQuery(text);
    const found = known ? findServers(query, known, surroundingsOf(query)) : [];
    return found
      .map(({ server }) => server)
      .filter(props.isOffered)
      .slice(0, MOST_FOUND);
  }
  function choose(server: Server): void {
    props.onClose();
    props.onChoose(server);
    wishFocus();
  }
  return (
    <SearchDialog
      title={props.title}
      placeholder={t('rail_search')}
      list_label={t('servers')}
      find={find}
      onChoose={choose}
      onClose={props.onClose}
      empty={t('no_match')}
    >
      {(server) => (
        <>
          <span class="palette-server">
            <StatusDot status={statusOf(server.id).status} />
            <Name text={server.name} />
          </span>
          <span class="palette-hint">{addressOf(server)}</span>
        </>
      )}
    </SearchDialog>
  );
}
