import { type JSX, Match, type ParentProps, Switch } from 'solid-js';
import { useApp } from '../app/context.ts';
import { nameOf } from '../lib/paths.ts';
import { saveFile } from '../lib/save-file.ts';
import { Trouble } from '../parts/trouble.tsx';
import type { Editing } from './editing.ts';
import type { TextFile } from './text-file.ts';

interface Props {
  readonly editing: Editing;
  readonly path: string;
  readonly onCompare: (theirs: TextFile) => void;
}

/** Shows why the text could not be saved, with the possible next steps. */
export function FileEditorObstacle(props: Props) {
  const { t } = useApp();
  const { document } = props.editing;
  const obstacle = () => document.obstacle();
  const name = () => nameOf(props.path);
  const of = <K extends string>(kind: K) => {
    const present = obstacle();
    return isKind(present, kind) ? present : undefined;
  };
  return (
    <div class="editor-obstacle">
      <Switch>
        <Match when={of('changed')}>
          {(changed) => (
            <Notice title={t('editor_conflict', { name: name() })} text={t('editor_conflict_text')}>
              <Way label={t('editor_compare')} is_first onPress={() => props.onCompare(changed().theirs)} />
              <Way
                label={t('editor_overwrite')}
                onPress={() => void props.editing.save({ kind: 'etag', etag: changed().theirs.etag })}
              />
              <Way label={t('editor_reload')} onPress={() => props.editing.reload(changed().theirs)} />
            </Notice>
          )}
        </Match>
        <Match when={of('gone')}>
          <Notice title={t('editor_gone', { name: name() })} text={t('editor_gone_text')}>
            <Way
              label={t('editor_save_as_new')}
              is_first
              onPress={() => void props.editing.save({ kind: 'absent' })}
            />
          </Notice>
        </Match>
        <Match when={of('replaced')}>
          <Notice title={t('editor_replaced', { name: name() })} text={t('editor_replaced_text')}>
            <Way
              label={t('editor_overwrite')}
              is_first
              onPress={() => void props.editing.save({ kind: 'any' })}
            />
            <CopyHere {...props} />
          </Notice>
        </Match>
        <Match when={of('failed')}>
          {(failed) => (
            <Trouble title={t('editor_save_failed', { name: name() })} error={failed().error} compact>
              <Way label={t('try_again')} is_first onPress={() => void props.editing.save()} />
              <CopyHere {...props} />
              <Way label={t('dismiss')} onPress={document.dismiss} />
            </Trouble>
          )}
        </Match>
        <Match when={props.editing.is_recovered()}>
          <Notice title={t('editor_recovered')} text={t('editor_recovered_text')}>
            <Way label={t('discard')} onPress={props.editing.discard} />
          </Notice>
        </Match>
      </Switch>
    </div>
  );
}

/** Downloads the text to this computer. */
function CopyHere(props: Props) {
  const { t } = useApp();
  const save = () => saveFile(nameOf(props.path), new Blob([props.editing.document.content()]));
  return <Way label={t('editor_copy_here')} onPress={save} />;
}

function Notice(props: ParentProps<{ title: string; text: string }>) {
  return (
    <div class="note note-warning editor-notice" role="alert">
      <p class="editor-notice-text">
        <strong>{props.title}</strong> {props.text}
      </p>
      <div class="actions">{props.children}</div>
    </div>
  );
}

interface WayProps {
  readonly label: string;
  readonly is_first?: boolean;
  readonly onPress: () => void;
}

function Way(props: WayProps): JSX.Element {
  return (
    <button
      type="button"
      class="button"
      classList={{ 'button-primary': props.is_first ?? false }}
      onClick={() => props.onPress()}
    >
      {props.label}
    </button>
  );
}

function isKind<O extends { readonly kind: string }, K extends string>(
  obstacle: O | undefined,
  kind: K,
): obstacle is Extract<O, { readonly kind: K }> {
  return obstacle?.kind === kind;
}
