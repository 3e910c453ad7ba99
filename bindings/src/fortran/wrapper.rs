//! Wrappers around C functions whose arguments Fortran writes differently: texts without a final NUL, and lists of ids
//! that know their length.

use std::fmt::Write;

use super::comment::print_comment;
use super::kinds::Kind;
use super::procedure::{Argument, Outcome, Procedure};

/// Prints the procedures that the wrappers use.
pub fn print_helpers(text: &mut String) {
    text.push_str(
        "
  !> The Fortran text of a C text.
  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length, i
    interface
      pure function c_strlen(text) bind(C, name=\"strlen\") result(length)
        import
        type(c_ptr), value, intent(in) :: text
        integer(c_size_t) :: length
      end function c_strlen
    end interface
    length = int(c_strlen(address))
    call c_f_pointer(address, letters, [length])
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function text_of
",
    );
}

/// Prints the wrapper of a C function.
pub fn print(text: &mut String, procedure: &Procedure) {
    let name = procedure.public_name();
    let shown: Vec<_> = procedure.arguments.iter().filter(|a| !counts_ids(procedure, a)).collect();
    text.push('\n');
    let said = |line: &&String| {
        !(list(procedure).is_some()
            && line.starts_with("@param[in]")
            && line.split_whitespace().nth(1) == Some("count"))
    };
    let lines: Vec<_> = procedure.text.iter().filter(said).cloned().collect();
    print_comment(text, "  ", &lines);
    let names: Vec<_> = shown.iter().map(|argument| argument.name.as_str()).collect();
    let result = if procedure.result == Outcome::Text { "text" } else { "code" };
    let _ = writeln!(text, "  function {name}({}) result({result})", names.join(", "));
    for argument in &shown {
        let _ = writeln!(text, "    {}", declaration(argument));
    }
    match procedure.result {
        Outcome::Text => text.push_str("    character(len=:), allocatable :: text\n"),
        Outcome::Code => text.push_str("    integer(c_int) :: code\n"),
    }
    if list(procedure).is_some() {
        text.push_str("    integer(c_int64_t) :: none(2, 0)\n");
    }
    print_body(text, procedure);
    let _ = writeln!(text, "  end function {name}");
}

fn print_body(text: &mut String, procedure: &Procedure) {
    let call = |ids: bool, words: bool| {
        let arguments: Vec<_> = procedure.arguments.iter().map(|a| passed(procedure, a, ids, words)).collect();
        format!("{}({})", procedure.interface_name(), arguments.join(", "))
    };
    if procedure.result == Outcome::Text {
        let _ = writeln!(text, "    text = text_of({})", call(true, true));
        return;
    }
    let left_out = procedure.arguments.iter().find(|a| a.optional || a.kind == Kind::Ids);
    match left_out {
        Some(argument) => {
            let given = call(true, true);
            let missing = call(false, false);
            let _ = writeln!(text, "    if (present({})) then", argument.name);
            let _ = writeln!(text, "      code = {given}");
            let _ = writeln!(text, "    else\n      code = {missing}\n    end if");
        }
        None => {
            let _ = writeln!(text, "    code = {}", call(true, true));
        }
    }
}

/// The wrapper's argument for C; `ids` and `words` say whether the optional arguments are present.
fn passed(procedure: &Procedure, argument: &Argument, ids: bool, words: bool) -> String {
    match argument.kind {
        Kind::Text if argument.optional && !words => "[c_null_char]".to_owned(),
        Kind::Text => format!("{}//c_null_char", argument.name),
        Kind::Ids if !ids => "none".to_owned(),
        _ if counts_ids(procedure, argument) => match (ids, list(procedure)) {
            (true, Some(list)) => format!("size({}, 2, kind=c_int)", list.name),
            _ => "0_c_int".to_owned(),
        },
        _ => argument.name.clone(),
    }
}

/// The argument that is a list of ids.
fn list(procedure: &Procedure) -> Option<&Argument> {
    procedure.arguments.iter().find(|argument| argument.kind == Kind::Ids)
}

/// Whether an argument is the length of the list of ids, which Fortran knows.
fn counts_ids(procedure: &Procedure, argument: &Argument) -> bool {
    argument.name == "count" && list(procedure).is_some()
}

/// The declaration of a wrapper's argument.
fn declaration(argument: &Argument) -> String {
    let optional = if argument.optional { ", optional" } else { "" };
    match argument.kind {
        Kind::Text => format!("character(len=*), intent(in){optional} :: {}", argument.name),
        Kind::Ids => format!("{}, contiguous, optional :: {}(:, :)", argument.in_interface(), argument.name),
        Kind::Rank => format!("{} :: {}(DVM_MAX_RANK_DEPTH)", argument.in_interface(), argument.name),
        _ => format!("{} :: {}", argument.in_interface(), argument.in_shape()),
    }
}
