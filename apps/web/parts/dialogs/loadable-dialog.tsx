import type { Component, ParentProps } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { loadable } from '../loadable.tsx';
import { Dialog } from './dialog.tsx';

interface Closable {
  readonly onClose: () => void;
}

/** A lazily loaded dialog. */
export function loadableDialog<P extends Closable>(load: () => Promise<Component<P>>): Component<P> {
  return loadable<P>(load, { Placeholder: () => null, Frame: Failed });
}

function Failed(props: ParentProps<Closable>) {
  const { t } = useApp();
  return (
    <Dialog title={t('loading')} onClose={props.onClose}>
      {props.children}
    </Dialog>
  );
}
