import { For } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { nearName } from '../../lib/match/near.ts';
import './did-you-mean.css';

interface Props {
  readonly typed: readonly string[];
  readonly known: readonly string[];
  readonly onChoose: (typed: string, meant: string) => void;
}

/** Questions names of groups that no server is in but are close to one that exists. */
export function DidYouMean(props: Props) {
  const { t } = useApp();
  const doubts = () =>
    props.typed.flatMap((typed) => {
      const meant = nearName(typed, props.known);
      return meant === undefined ? [] : [{ typed, meant }];
    });
  return (
    <div class="did-you-mean" role="status">
      <For each={doubts()}>
        {({ typed, meant }) => (
          <p>
            {t('group_unknown', { name: typed.trim() })}{' '}
            <button type="button" class="link-button" onClick={() => props.onChoose(typed, meant)}>
              {t('group_meant', { name: meant })}
            </button>
          </p>
        )}
      </For>
    </div>
  );
}
