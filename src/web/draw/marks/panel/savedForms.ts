import { formatOf, MARK_SAVED_FORMATS, type MarkFormatName } from '../../../../shared/markFormats.ts';

/** What marks can be saved as, besides the formats of marks. */
export const OTHER_FORMS = {
  rois: { title: 'ROIs (CSV)', purpose: 'the ROIs of all files, as annotations' },
  values: { title: 'Values (CSV)', purpose: 'the listed measurements with their values' },
  text: { title: 'Copy as text', purpose: 'the listed measurements, for a note or an email' },
  classes: { title: 'Classes (JSON)', purpose: 'titles, colors and digits, for other runs' },
} as const;

export type OtherForm = keyof typeof OTHER_FORMS;

export type SavedForm = {
  readonly id: MarkFormatName | OtherForm;
  readonly title: string;
  /** What a user would save it for. */
  readonly purpose: string;
};

/** In each of the formats of marks. */
export const FORMAT_FORMS = MARK_SAVED_FORMATS.map((id): SavedForm => {
  const { title = id, purpose = '' } = formatOf(id);
  return { id, title, purpose };
});

export const OTHERS = Object.entries(OTHER_FORMS).map(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
  ([id, form]): SavedForm => ({ id: id as OtherForm, ...form }),
);
