import { findCommand, spellPress } from '../state/commands.ts';
import { COMMANDS } from './commandTable.ts';

/** Runs the commands of the keys that nothing else takes, until the function that it returns is called. */
export function handleKeys(): () => void {
  /** Space plays when it is let go: until then it may be the beginning of a pan. */
  let isSpaceAlone = false;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isForAnother(event)) return;
    const command = findCommand(COMMANDS, event);
    if (command === undefined) return;
    event.preventDefault();
    if (event.key === ' ') isSpaceAlone = !event.repeat || isSpaceAlone;
    else command.run();
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key !== ' ' || !isSpaceAlone) return;
    isSpaceAlone = false;
    findCommand(COMMANDS, event)?.run();
  };
  const onPointerDown = () => {
    isSpaceAlone = false;
  };
  addEventListener('keydown', onKeyDown);
  addEventListener('keyup', onKeyUp);
  addEventListener('pointerdown', onPointerDown);
  return () => {
    removeEventListener('keydown', onKeyDown);
    removeEventListener('keyup', onKeyUp);
    removeEventListener('pointerdown', onPointerDown);
  };
}

/** Who types, types; a dialog is closed first; and a button or a slider keeps the keys that work it. */
function isForAnother(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof Element)) return false;
  const spelled = spellPress(event);
  if (spelled === 'Ctrl+K') return false;
  if (target.closest('dialog, [popover]') !== null) return true;
  if (target.closest('input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]') !== null)
    return true;
  if (target.closest('input[type=range]') !== null) return /Up|Down|Left|Right|Home|End|Pg/.test(spelled);
  return target.closest('button, summary, a, [role=tab]') !== null && spelled === 'Space';
}
