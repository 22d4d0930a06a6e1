/* The editor that takes the place of a cell's recorded code. */
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

export interface EditorOptions {
  host: HTMLElement;
  source: string;
  label: string;
  onChange: (source: string) => void;
  onRun: () => void;
  onLeave: () => void;
}

/* Opens an editor. Tab moves on and Escape leaves: no one is caught in it. */
export function openEditor(options: EditorOptions): EditorView {
  const act = (what: () => void) => () => {
    what();
    return true;
  };
  const state = EditorState.create({
    doc: options.source,
    extensions: [
      keymap.of([
        { key: "Shift-Enter", run: act(options.onRun) },
        { key: "Mod-Enter", run: act(options.onRun) },
        { key: "Escape", run: act(options.onLeave) },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
      ]),
      history(),
      closeBrackets(),
      bracketMatching(),
      indentOnInput(),
      indentUnit.of("    "),
      python(),
      syntaxHighlighting(classHighlighter),
      EditorView.contentAttributes.of({ "aria-label": options.label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) options.onChange(update.state.doc.toString());
      }),
    ],
  });
  return new EditorView({ state, parent: options.host });
}

/* Puts another source into an editor. */
export function replaceSource(view: EditorView, source: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: source } });
}
