import { For } from 'solid-js';
import { type ApiDocument, groupOperations } from './document.ts';
import { Method } from './operation.tsx';
import { Sample } from './sample.tsx';
import { Code } from './schema.tsx';

/** How to sign in, and every operation on one line. */
export function Overview(props: { document: ApiDocument }) {
  const base = new URL('.', location.href).href.replace(/\/$/, '');
  const sign_in = [
    `token=$(curl -s '${base}/api/auth/login' -H 'content-type: application/json' \\`,
    `  -d '{"username":"USER","password":"PASSWORD"}' | jq -r .access_token)`,
    `curl -s '${base}/api/servers' -H "authorization: Bearer $token"`,
  ].join('\n');
  return (
    <article class="docs-article">
      <h1 tabIndex={-1}>
        {props.document.info.title} API <span class="docs-soft">{props.document.info.version}</span>
      </h1>
      <p>
        <Code text={props.document.info.description ?? ''} />
      </p>
      <p>
        The examples use <code>$token</code>: an API key from your account, or the token of a sign-in. The
        whole description is <a href="./openapi.json">openapi.json</a>, for tools. See also{' '}
        <a href="#codes">all error codes</a>.
      </p>
      <Sample title="Sign in and call an operation" code={sign_in} />
      <For each={groupOperations(props.document, '')}>
        {(group) => (
          <section aria-label={group.tag}>
            <h2>{group.tag}</h2>
            <ul class="docs-operations">
              <For each={group.operations}>
                {({ operationId, method, path, summary }) => (
                  <li>
                    <Method name={method} />
                    <a href={`#${operationId}`}>
                      <code>{path}</code>
                    </a>
                    <span class="docs-soft">
                      <Code text={summary ?? ''} />
                    </span>
                  </li>
                )}
              </For>
            </ul>
          </section>
        )}
      </For>
    </article>
  );
}
