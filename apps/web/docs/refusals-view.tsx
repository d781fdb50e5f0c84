import { For, Show } from 'solid-js';
import type { Refusal } from './refusals.ts';
import { Code } from './schema.tsx';

/** Refusals as a table: status, code, meaning, and the close code of a socket. */
export function RefusalTable(props: { refusals: readonly Refusal[] }) {
  const closes = () => props.refusals.some(({ close_code }) => close_code !== undefined);
  return (
    <div class="docs-scroll">
      <table class="docs-table">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code</th>
            <Show when={closes()}>
              <th scope="col">Close code</th>
            </Show>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.refusals}>
            {({ status, code, close_code, meaning }) => (
              <tr>
                <td>{status}</td>
                <th scope="row">
                  <code>{code}</code>
                </th>
                <Show when={closes()}>
                  <td>{close_code}</td>
                </Show>
                <td>
                  <Code text={meaning} />
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}
