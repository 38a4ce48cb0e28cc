// Lists, tuples, dicts and optionals.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Row kRows[] = {
    {"prim::DictConstruct", {.container = Container::Dict, .size_blind = true}},
    {"prim::ListConstruct", {.container = Container::List, .size_blind = true}},
    {"prim::ListUnpack", {.container = Container::ListUnpack, .size_blind = true}},
    {"prim::TupleConstruct", {.container = Container::Tuple, .size_blind = true}},
    {"prim::TupleIndex", {.container = Container::Item, .size_blind = true}},
    {"prim::TupleSlice", {.container = Container::TupleSlice}},
    {"prim::TupleUnpack", {.container = Container::TupleUnpack, .size_blind = true}},

    {"aten::__getitem__", {.container = Container::Item, .size_blind = true}},
    {"aten::len", {.container = Container::Length}},
    {"aten::__contains__", {.container = Container::Contains}},
    {"aten::get", {.container = Container::Get}},
    {"aten::items", {.alias = Alias::Unmarked, .container = Container::Items}},
    {"aten::keys", {.alias = Alias::Unmarked, .container = Container::Keys}},
    {"aten::values.bool", {.alias = Alias::Unmarked, .container = Container::Values}},
    {"aten::values.float", {.alias = Alias::Unmarked, .container = Container::Values}},
    {"aten::values.int", {.alias = Alias::Unmarked, .container = Container::Values}},
    {"aten::values.str", {.alias = Alias::Unmarked, .container = Container::Values}},
    {"aten::add.t", {.alias = Alias::Unmarked, .container = Container::Concat}},
    {"aten::copy.t", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::list.t", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::copy.Dict_bool", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::copy.Dict_float", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::copy.Dict_int", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::copy.Dict_str", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::dict", {.alias = Alias::Unmarked}},
    {"aten::dict.Dict_bool", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::dict.Dict_float", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::dict.Dict_int", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::dict.Dict_str", {.alias = Alias::Unmarked, .container = Container::Copy}},
    {"aten::sorted", {.alias = Alias::Unmarked, .container = Container::Sorted}},
    {"aten::slice.t", {.alias = Alias::Unmarked, .container = Container::Part}},

    {"aten::Delete", {.container = Container::Delete}},
    {"aten::_set_item", {.container = Container::SetItem}},
    {"aten::add_.t", {.container = Container::Extend}},
    {"aten::append", {.container = Container::Append}},
    {"aten::clear", {.container = Container::Clear}},
    {"aten::extend", {.container = Container::Extend}},
    {"aten::insert", {.container = Container::Insert}},
    {"aten::pop", {.container = Container::Pop}},
    {"aten::popitem", {.container = Container::PopItem}},
    {"aten::remove", {.container = Container::Remove}},
    {"aten::reverse", {.container = Container::Reverse}},
    {"aten::setdefault", {.container = Container::SetDefault}},
    {"aten::sort.any", {.container = Container::Sort}},
    {"aten::sort.bool", {.container = Container::Sort}},
    {"aten::sort.float", {.container = Container::Sort}},
    {"aten::sort.int", {.container = Container::Sort}},
    {"aten::sort.str", {.container = Container::Sort}},
    {"aten::update", {.container = Container::Update}},

    {"aten::Size", {.alias = Alias::Same, .passes = true, .size_blind = true}},
    {"aten::_unwrap_optional", {.alias = Alias::Same, .size_blind = true}},
    {"prim::unchecked_cast", {.alias = Alias::Same, .passes = true, .size_blind = true}},
    {"prim::unchecked_unwrap_optional", {.alias = Alias::Same, .passes = true, .size_blind = true}},
};

}  // namespace

std::span<const Row> container_traits() { return kRows; }

}  // namespace tonnx::aten
