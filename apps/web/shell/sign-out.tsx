import { useApp } from '../app/context.ts';
import { useOpenTerminals } from '../open-terminals/open-terminals.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { useUnsaved } from '../workspace/unsaved/unsaved.ts';
import { runningShells } from './leave-guard.ts';

/** Asks once before signing out ends shells or closes unsaved files, and says how many. */
export function SignOutQuestion(props: { onClose: () => void }) {
  const { session, t } = useApp();
  const { terminals } = useOpenTerminals();
  const unsaved = useUnsaved();
  const text = () => {
    const shells = runningShells(terminals);
    const files = unsaved.dirtyCount();
    return [
      ...(shells > 0 ? [t('sign_out_shells', { count: shells })] : []),
      ...(files > 0 ? [t('sign_out_files', { count: files })] : []),
    ].join(' ');
  };
  return (
    <Confirm
      title={t('sign_out_title')}
      text={text()}
      action={t('sign_out')}
      danger
      onConfirm={() => session.signOut()}
      onClose={props.onClose}
    />
  );
}
