import type { Component } from 'solid-js';

/** The dialogs of the page by kind, with what each is given. A feature adds its own where it registers them. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it
export interface Windows {}

export type WindowKind = keyof Windows;

/** A dialog to open. */
export type Window = { readonly [K in WindowKind]: { readonly kind: K } & Windows[K] }[WindowKind];

export interface Closable {
  readonly onClose: () => void;
}

export interface WindowView<K extends WindowKind> {
  readonly View: Component<Windows[K] & Closable>;
  /** Closes when the user is no longer an administrator. */
  readonly for_admins?: boolean;
}

export type WindowViews = { readonly [K in WindowKind]?: WindowView<K> };
