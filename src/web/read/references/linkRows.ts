import { type Relationship, RELATIONSHIPS } from '../../../shared/contract/referenceTerms.ts';
import type { TreeViewRow } from '../../kit/ui/treeKeys.ts';
import type { ObjectLink } from './links.ts';

/** A row of the panel. */
export type LinkRow = TreeViewRow &
  (
    | { readonly kind: 'heading'; readonly title: string; readonly count: number }
    | { readonly kind: 'link'; readonly link: ObjectLink }
    | { readonly kind: 'frame'; readonly link: ObjectLink; readonly frame: number }
  );

/** Undefined: not known yet. */
export type Links = {
  readonly to: readonly ObjectLink[] | undefined;
  readonly from: readonly ObjectLink[] | undefined;
};

/** A longer group starts closed, because it would hide the others. */
const MOST_OPEN = 20;

/**
 * Both directions, each by relationship. `toggled` has the keys of rows whose open state differs from the initial one.
 */
export function listLinkRows(links: Links, toggled: ReadonlySet<string>): LinkRow[] {
  const rows: LinkRow[] = [];
  for (const direction of ['to', 'from'] as const) {
    const ofDirection = links[direction];
    if (ofDirection === undefined) continue;
    const title = direction === 'to' ? 'Refers to' : 'Referenced by';
    const heading = { key: direction, level: 1, title, count: ofDirection.length };
    if (addHeading(rows, heading, !toggled.has(direction))) addGroups(rows, ofDirection, direction, toggled);
  }
  return rows;
}

function addGroups(
  rows: LinkRow[],
  links: readonly ObjectLink[],
  direction: 'to' | 'from',
  toggled: ReadonlySet<string>,
): void {
  for (const relationship of RELATIONSHIPS) {
    const group = links.filter((link) => link.relationship === relationship);
    if (group.length === 0) continue;
    const key = `${direction}/${relationship}`;
    const title = RELATIONSHIP_TEXTS[relationship][direction];
    const isOpen = toggled.has(key) !== group.length <= MOST_OPEN;
    if (!addHeading(rows, { key, level: 2, title, count: group.length }, isOpen)) continue;
    for (const link of group) addLink(rows, link, toggled);
  }
}

type Heading = { readonly key: string; readonly level: number; readonly title: string; readonly count: number };

/** Returns whether the rows below it are to be listed. */
function addHeading(rows: LinkRow[], heading: Heading, isWanted: boolean): boolean {
  const hasChildren = heading.count > 0;
  const isOpen = hasChildren && isWanted;
  rows.push({ kind: 'heading', ...heading, hasChildren, isOpen });
  return isOpen;
}

function addLink(rows: LinkRow[], link: ObjectLink, toggled: ReadonlySet<string>): void {
  const hasChildren = link.frames.length > 1;
  const isOpen = hasChildren && toggled.has(link.key);
  rows.push({ kind: 'link', key: link.key, level: 3, hasChildren, isOpen, link });
  if (!isOpen) return;
  for (const frame of link.frames) {
    const key = `${link.key}/${frame}`;
    rows.push({ kind: 'frame', key, level: 4, hasChildren: false, isOpen: false, link, frame });
  }
}

type Texts = {
  /** Heading for the objects that it refers to. */
  readonly to: string;
  /** Heading for the objects that refer to it. */
  readonly from: string;
};

/** A description of each relationship, from both ends. */
const RELATIONSHIP_TEXTS: Readonly<Record<Relationship, Texts>> = {
  source_image: { to: 'Source images', from: 'Objects that describe it or are derived from it' },
  source_image_for_segmentation: { to: 'Segmented images', from: 'Segmentations' },
  blending_input: { to: 'Images to blend', from: 'Presentation states that blend it' },
  blending_source: { to: 'Images to overlay', from: 'Presentation states that overlay it' },
  registered_target: { to: 'Registration targets', from: 'Registrations that align other images with it' },
  moving_source: { to: 'Registered images', from: 'Registrations that align it with other images' },
  deformation_source: { to: 'Deformed images', from: 'Registrations that deform it' },
  source_of_measurement: { to: 'Measured images', from: 'Measurements' },
  key_object_segmentation: { to: 'Selected segmentations', from: 'Key object selections' },
  referenced_segment: { to: 'Referenced segments', from: 'Reports about its segments' },
  definition_source: { to: 'Definition sources of its structures', from: 'Structures that it defines' },
  source_structure_set: { to: 'Structure sets it was computed for', from: 'Doses computed for it' },
  referenced_structure_set: { to: 'Structure sets', from: 'Objects that use this structure set' },
  referenced_dose: { to: 'Doses', from: 'Objects that use this dose' },
  referenced_rt_plan: { to: 'Plans it belongs to', from: 'Objects that belong to this plan' },
  referenced_rt_radiation: { to: 'Radiations', from: 'Objects that use this radiation' },
  unknown: { to: 'Other references', from: 'Other references to it' },
};
