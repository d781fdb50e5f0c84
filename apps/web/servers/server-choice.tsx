import { createMemo } from 'solid-js';
import { ChoiceField } from '../parts/fields/combo.tsx';
import { findServers } from './find/find.ts';
import { parseQuery } from './find/query.ts';
import { indexServers, type ServerIndex } from './find/server-index.ts';
import type { Server } from './servers.ts';

interface Props {
  readonly label: string;
  readonly servers: readonly Server[];
  /** The id of a server; 0 for none of them. */
  readonly value: number;
  /** What 0 means, if it can be chosen. */
  readonly none?: string;
  readonly onChange: (server_id: number) => void;
  readonly error?: string | undefined;
  readonly class?: string;
}

/** A choice of one server, found as in the rail. */
export function ServerChoice(props: Props) {
  const index = createMemo<ServerIndex>((before) => indexServers(props.servers, before));
  const none = () => (props.none === undefined ? [] : [{ value: 0, label: props.none }]);
  const optionOf = ({ id, name }: Server) => ({ value: id, label: name });
  return (
    <ChoiceField
      label={props.label}
      value={props.value}
      options={[...none(), ...index().list.map(({ server }) => optionOf(server))]}
      find={(text) => findServers(parseQuery(text), index()).map(({ server }) => optionOf(server))}
      error={props.error}
      onChange={(server_id) => props.onChange(server_id)}
      {...(props.class === undefined ? {} : { class: props.class })}
    />
  );
}
