import { spellPress } from '../kit/state/commands.ts';

/** Whether the page handles the key regardless of the focus. */
export function isForPage(event: KeyboardEvent): boolean {
  return spellPress(event) === 'Ctrl+K';
}

/** Keys belong to a text field while the user types, to an open dialog, and to a button or slider that uses them. */
export function isForAnother(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof Element)) return false;
  if (isForPage(event)) return false;
  if (target.closest('dialog, [popover]') !== null) return true;
  if (target.closest('input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]') !== null)
    return true;
  const spelled = spellPress(event);
  if (target.closest('input[type=range]') !== null) return /Up|Down|Left|Right|Home|End|Pg/.test(spelled);
  return target.closest('button, summary, a, [role=tab]') !== null && spelled === 'Space';
}
